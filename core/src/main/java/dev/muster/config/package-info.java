/**
 * The settings of a node: one immutable model, {@link dev.muster.config.MusterConfig}, read from
 * several sources and checked as a whole before anything starts.
 *
 * <p>Sources are read in this order, and a later one wins key by key:
 *
 * <ol>
 *   <li>the defaults, written beside each setting;
 *   <li>the file that {@code MUSTER_CONFIG} names, else {@code muster.toml} in the working directory
 *       ({@link dev.muster.config.ConfigSource#file}); {@code ${VAR}} and {@code ${VAR:-default}} in its
 *       strings are replaced when the source is {@link dev.muster.config.ConfigSource#expanded
 *       expanded}, and {@code $$} is a plain {@code $}. A {@link dev.muster.internal.config.TomlReader} that the {@link
 *       java.util.ServiceLoader} finds reads the TOML; a file that exists and cannot be read is an error;
 *   <li>the environment ({@link dev.muster.config.ConfigSource#environment}): {@code [cluster]
 *       dead_threshold} is {@code MUSTER_CLUSTER_DEAD_THRESHOLD}; lists are {@code a,b} and maps
 *       {@code key=value,key=value};
 *   <li>calls in code ({@link dev.muster.config.MusterConfig#with}), whose source is "builder".
 * </ol>
 *
 * <p>{@link dev.muster.config.ConfigSource#standard} returns the file and the environment of a process. The command line and a
 * Muster that is built without {@code config(…)} read both; a Muster with {@code config(…)} reads neither.
 *
 * <h2>Checks</h2>
 *
 * Muster neither guesses nor ignores anything. An unknown key or {@code MUSTER_} variable, a value that is not allowed (even
 * if a later source overrides it), and two values that do not fit each other are problems; one {@link
 * dev.muster.config.ConfigException} lists all of them. Secrets appear neither in problems, nor in {@link
 * dev.muster.config.MusterConfig#entries}, nor in any {@code toString}.
 *
 * <h2>Adding a setting</h2>
 *
 * In the code, only the record of the setting's section changes: define the {@code Setting} (name, type with bounds, default, description),
 * add the record component, and pass it on in {@code from}. A new section is one more such record, listed in {@code Settings}
 * and in {@code MusterConfig}. A section whose settings exist once for each name, as {@code [executors.gpu]} does, is a {@code
 * NamedSection}. A rule between two settings is one entry in {@code Relation}, any other rule a {@code SettingCheck}. Reading, environment names,
 * messages and {@code config show} need no further change. Two files are made from the settings, and a test fails until they are made again:
 * {@code docs/settings.md} and the metadata for Spring's editors (CONTRIBUTING.md, "Adding a setting").
 */
@NullMarked
package dev.muster.config;

import org.jspecify.annotations.NullMarked;
