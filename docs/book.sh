#!/bin/sh
# Renders the pages of docs/SUMMARY.md as a book with search, in target/book/html. `sh docs/book.sh PATH/TO/mdbook`
#
# The book's source mirrors the repository (README.md, docs, testsuite/examples), so that links and pictures are where pages say.
# On exit every link and every picture of the rendered pages leads somewhere, or the script fails and names it.
set -eu
mdbook=${1:?the path of mdbook}
cd "$(dirname "$0")/.."
book=target/book
rm -rf $book
mkdir -p $book/src/testsuite
cp -r docs $book/src/docs
cp -r testsuite/examples $book/src/testsuite/examples
rm -rf $book/src/testsuite/examples/*/out
rm $book/src/docs/book.toml $book/src/docs/*.sh
# Sources that pages lead to.
for file in $(grep -oh '](\.\./[^)#]*' docs/*.md | sed 's#](\.\./##' | sort -u); do
    if [ -f "$file" ] && [ ! -e "$book/src/$file" ]; then
        mkdir -p "$book/src/$(dirname "$file")"
        cp "$file" "$book/src/$file"
    fi
done
# Contents begin at the root here, and the page of all contents is mdBook's.
sed -e 's#](\([a-zA-Z]\)#](docs/\1#; s#](\.\./#](#' docs/SUMMARY.md > $book/src/SUMMARY.md
rm $book/src/docs/SUMMARY.md
sed -e 's#(docs/SUMMARY\.md)#(toc.html)#' README.md > $book/src/README.md
"$mdbook" build docs

# Where the links of a rendered page lead: files, and places in them that have an id.
broken=0
links=0
for page in $(cd $book/html && find . -name '*.html' ! -name print.html ! -name toc.html ! -name 404.html); do
    folder=$(dirname "$page")
    for link in $(grep -o '\(href\|src\)="[^"]*"' "$book/html/$page" | sed 's/^[a-z]*="//; s/"$//; s/ /%20/g' | sort -u); do
        case $link in *://* | mailto:* | '#' | javascript:*) continue ;; esac
        links=$((links + 1))
        file=${link%%#*}
        target=$book/html/$folder/$file
        [ -n "$file" ] || target=$book/html/$page
        place=
        case $link in *'#'*) place=${link#*#} ;; esac
        if [ ! -e "$target" ] || { [ -n "$place" ] && ! grep -q "id=\"$place\"" "$target"; }; then
            echo "$page: $link leads nowhere" >&2
            broken=$((broken + 1))
        fi
    done
done
pages=$(find $book/html -name '*.html' | wc -l)
echo "$pages pages, $links links, $broken broken: $book/html/index.html"
[ $broken = 0 ] && [ $links -gt 500 ]
