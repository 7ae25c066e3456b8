"""The page: one self-contained HTML file that a person reads, moves a threshold in, prints and mails.

Conventions: nothing is fetched and nothing in the data can run: names are escaped, the script and the style are known
to the page's content-security policy by their hashes, and data is a block of JSON. The same content gives the same
bytes. Charts are drawn by the page's own script (`assets/js`), which is small, needs no `eval`, and shares one
threshold between all charts and numbers.

Holds `page_of` (build), the model and one module a part of the page. Its sentences are in the catalogues of core.
"""
