"""Questions and answers (MQAG): the detector (`check`) and the formulas (`scores`)."""
