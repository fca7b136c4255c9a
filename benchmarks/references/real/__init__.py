"""Answers that chatbots in use gave, with references labelled by hand: what of them is read, and what else is taken for one?"""
