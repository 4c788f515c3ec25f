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
 *       expanded}, and {@code $$} is a plain {@code $}. TOML is read by a {@link
 *       dev.muster.config.TomlReader} that the {@link java.util.ServiceLoader} finds; a file that is
 *       there and that nobody can read is an error;
 *   <li>the environment ({@link dev.muster.config.ConfigSource#environment}): {@code [cluster]
 *       dead_threshold} is {@code MUSTER_CLUSTER_DEAD_THRESHOLD}; lists are {@code a,b} and maps
 *       {@code key=value,key=value};
 *   <li>calls in code ({@link dev.muster.config.MusterConfig#with}), whose source is "builder".
 * </ol>
 *
 * <p>{@link dev.muster.config.ConfigSource#standard} gives the second and the third for a process. The command line and a
 * Muster that is built without {@code config(…)} read them; with {@code config(…)} neither is looked at.
 *
 * <p>Nothing is guessed and nothing is ignored. An unknown key or {@code MUSTER_} variable, a value
 * that is not allowed (also one that a later source would override), and two values that do not fit
 * each other are problems; all of them are listed in one {@link dev.muster.config.ConfigException}.
 * Secrets appear neither in problems, nor in {@link dev.muster.config.MusterConfig#entries}, nor in
 * any {@code toString}.
 *
 * <p>To add a setting, stay in the record of its section: define the {@code Setting} (name, type with
 * bounds, default, description), add the record component, and pass it on in {@code from}. A new
 * section is one more such record, listed in {@code Settings} and in {@code MusterConfig}. A rule
 * between two settings is one entry in {@code Relation}. Flattening, environment names, messages and
 * {@code config show} follow by themselves.
 */
@NullMarked
package dev.muster.config;

import org.jspecify.annotations.NullMarked;
