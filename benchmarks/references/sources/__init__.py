"""Live sources: every resolver at local servers that answer in the services' documented formats."""
