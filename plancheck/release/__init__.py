"""What others can check a study by: all of it but the text, in the folders and names that the study itself has."""
