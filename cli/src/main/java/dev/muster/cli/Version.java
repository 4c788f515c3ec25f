package dev.muster.cli;

import picocli.CommandLine.IVersionProvider;

/** What {@code --version} prints. */
final class Version implements IVersionProvider {

    @Override
    public String[] getVersion() {
        String packaged = MusterCommand.class.getPackage().getImplementationVersion();
        return new String[] {
            "muster " + (packaged == null ? "(not packaged)" : packaged) + ", Java " + Runtime.version()
        };
    }
}
