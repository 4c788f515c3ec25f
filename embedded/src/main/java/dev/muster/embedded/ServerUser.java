package dev.muster.embedded;

import com.sun.security.auth.module.UnixSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/**
 * Whom PostgreSQL runs as. It refuses to run as root, and to use a folder that belongs to somebody else.
 *
 * @param prefix the beginning of each of its commands
 * @param owner whom its data has to belong to; empty: whoever runs this program
 */
record ServerUser(List<String> prefix, OptionalInt owner) {
    private static final String UID = "unix:uid";
    private static final int ROOT_ID = 0;
    private static final int NOBODY_ID = 65534;

    /** Root's own access to files goes along, because the programs and the data lie where root has them. Containers have these two. */
    private static final String FILE_ACCESS = "-all,+dac_override,+fowner";

    /** The user of this program. */
    static final ServerUser SAME = new ServerUser(List.of(), OptionalInt.empty());

    /** Root, in a user namespace in which it is nobody. */
    static final ServerUser IN_NAMESPACE = new ServerUser(List.of("unshare", "-U"), OptionalInt.of(ROOT_ID));

    /** The user {@code nobody}, for root in a container, which may make no namespaces. */
    static final ServerUser NOBODY = new ServerUser(
            List.of(
                    "setpriv",
                    "--reuid=" + NOBODY_ID,
                    "--regid=" + NOBODY_ID,
                    "--clear-groups",
                    "--securebits=+no_setuid_fixup",
                    "--inh-caps=" + FILE_ACCESS,
                    "--ambient-caps=" + FILE_ACCESS,
                    "--bounding-set=" + FILE_ACCESS),
            OptionalInt.of(NOBODY_ID));

    /** @throws EmbeddedPostgresException if this is root, and none of the ways works here */
    static ServerUser ofThisProgram() throws IOException {
        if (!isRoot()) {
            return SAME;
        }
        for (ServerUser user : List.of(IN_NAMESPACE, NOBODY)) {
            if (user.works()) {
                return user;
            }
        }
        throw new EmbeddedPostgresException(
                "PostgreSQL refuses to run as root, and neither `unshare -U` nor `setpriv --reuid` works here: run as an"
                        + " ordinary user, or allow user namespaces");
    }

    static boolean isRoot() {
        return new UnixSystem().getUid() == ROOT_ID;
    }

    private boolean works() throws IOException {
        List<String> command = new ArrayList<>(prefix);
        command.add("true");
        ProcessBuilder probe =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD);
        try {
            return Installation.exitCode(probe.start()) == 0;
        } catch (IOException e) {
            // There is no such program. An interrupted wait is an IOException, too, and then the next one says so.
            return false;
        }
    }

    /**
     * Gives a data folder to this user, if root had it under its other name: in a container where the other way works.
     *
     * @throws EmbeddedPostgresException if it is an ordinary user's
     */
    void own(Path data) throws IOException {
        if (owner.isEmpty()) {
            return;
        }
        Object present = Files.getAttribute(data, UID);
        if (present.equals(owner.getAsInt())) {
            return;
        }
        if (!present.equals(ROOT_ID) && !present.equals(NOBODY_ID)) {
            throw new EmbeddedPostgresException("The data in " + data + " belongs to the user "
                    + Files.getOwner(data).getName() + ": run as that user, or use another folder");
        }
        new FileTree(data).forEach(path -> Files.setAttribute(path, UID, owner.getAsInt(), LinkOption.NOFOLLOW_LINKS));
    }
}
