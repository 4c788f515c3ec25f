# Looks after one PostgreSQL server for the JVM at the other end of standard input, and outlives that JVM by as long
# as it takes to stop the server. Arguments: folder of the programs, data folder, log file, folder to remove or "".

# Ctrl-C reaches every process of the terminal's group, and a dead JVM reads no answers: neither may end this one.
trap '' HUP INT QUIT TERM PIPE

programs=$1 data=$2 log=$3 temporary=$4
running=

start() {
    # The long limit is for crash recovery; pg_ctl returns at once when the server gives up.
    "$programs/pg_ctl" start -D "$data" -l "$log" -o "-p $1" -t 3600 </dev/null >/dev/null 2>>"$log" && running=yes
}

stop() {
    "$programs/pg_ctl" stop -D "$data" -m "$1" -t 60 </dev/null >/dev/null 2>>"$log"
}

while read -r order port; do
    case $order in
    start) if start "$port"; then echo started; else echo failed; fi ;;
    stop) if [ "$running" ]; then stop immediate; running=; fi; echo stopped ;;
    esac
done

# A server that this keeper did not start is not this keeper's to stop.
if [ "$temporary" ]; then
    if [ "$running" ]; then stop immediate; fi
    rm -rf -- "$temporary"
elif [ "$running" ]; then
    stop fast || stop immediate
fi
