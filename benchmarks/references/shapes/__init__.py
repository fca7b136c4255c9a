"""Works in every shape of a list that chatbots write."""
