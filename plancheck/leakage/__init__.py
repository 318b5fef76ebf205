"""What test questions share with what is learned from: IDs, contexts and questions, whole, nearly or in part."""
