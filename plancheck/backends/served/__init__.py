"""Models that a server with OpenAI's protocol runs."""
