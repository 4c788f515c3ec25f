# Ends the child processes of a node when the JVM at the other end of standard input has ended. Arguments: the text that stands in the
# environment of each of these processes and of all their descendants, and the folder to remove.

# Ctrl-C reaches every process of the terminal's group: it must not end this one.
trap '' HUP INT QUIT TERM PIPE

mark=$1 folder=$2
cd /

has_mark() {
    while IFS= read -r line || [ "$line" ]; do
        case $line in *"$mark"*) return 0 ;; esac
    done
    return 1
}

# Prints the environment files of all processes with the mark. grep reads them much faster than this shell does, but it may be missing.
marked() {
    if command -v grep >/dev/null; then
        grep -ls -e "$mark" /proc/[0-9]*/environ
    else
        for file in /proc/[0-9]*/environ; do
            if has_mark <"$file"; then echo "$file"; fi
        done
    fi 2>/dev/null
}

# A process may be creating another one meanwhile, so this looks again until it finds none.
kill_all() {
    rounds=0
    while [ $rounds -lt 500 ]; do
        rounds=$((rounds + 1))
        # grep's exit code says nothing: processes end while it reads.
        files=$(marked)
        if [ -z "$files" ]; then break; fi
        for file in $files; do
            pid=${file#/proc/}
            kill -9 "${pid%/environ}" 2>/dev/null
        done
    done
}

# The end of the pipe is the end of the JVM, or of the node if the JVM says so.
last=
while read -r word rest; do
    if [ "$word" = folder ]; then folder=$rest; fi
    last=$word
done

kill_all
if [ "$last" != close ]; then
    # A process that the JVM was just starting gets the mark a moment later.
    sleep 1
    kill_all
fi
if [ "$folder" ]; then rm -rf -- "$folder"; fi
