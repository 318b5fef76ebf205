"""Does a learned context planner beat strong retrieval, and does the gain survive every control."""
