"""Routers: what choosing between policies for each question could gain, and what it does gain."""
