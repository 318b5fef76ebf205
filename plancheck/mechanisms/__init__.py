"""Why a planner wins or loses: what it chose, what it pushed out, and how clear the scores were."""
