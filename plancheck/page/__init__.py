"""The report page: view models of the tables, charts, and one self-contained HTML file made of them."""
