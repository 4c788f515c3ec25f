package dev.muster.access;

import dev.muster.access.CallerInfo.Auth;
import dev.muster.runtime.NamePatterns;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Who calls, how the gateway knows it, and what the caller may do. */
public final class Caller {
    private static final int LONGEST = 300;

    private final String id;
    private final String name;
    private final Auth auth;
    private final Scope scope;
    private final Set<String> roles;
    private final NamePatterns names;
    private final Optional<String> tenant;
    private final Optional<String> address;

    private Caller(Builder from) {
        this.id = from.id;
        this.name = from.name;
        this.auth = from.auth;
        this.scope = from.scope;
        this.roles = Set.copyOf(from.roles);
        this.names = from.names;
        this.tenant = from.tenant;
        this.address = from.address;
    }

    /**
     * Begins with what every caller has. Without more said, an application has named the caller, who has no roles, belongs to no tenant and
     * may start everything that the scope allows.
     *
     * @param id such as {@code user:ada}; unique, for limits and the audit
     * @param name for people
     * @param scope the highest scope that the caller has
     */
    public static Builder builder(String id, String name, Scope scope) {
        return new Builder(id, name, scope);
    }

    /** A builder with all of this. */
    public Builder toBuilder() {
        return new Builder(id, name, scope)
                .auth(auth)
                .roles(roles)
                .names(names)
                .tenant(tenant)
                .address(address);
    }

    /** A part of the program itself, which may do everything. */
    public static Caller program(String name) {
        return builder("program:" + name, name, Scope.ADMIN).build();
    }

    /** Such as {@code key:7fQ2…} for an API key or {@code jwt:ada} for the subject of a token; unique, for limits and the audit. */
    public String id() {
        return id;
    }

    /** For people: the name of the key. */
    public String name() {
        return name;
    }

    /** How the caller has shown who it is. */
    public Auth auth() {
        return auth;
    }

    /** The highest scope that the caller has. */
    public Scope scope() {
        return scope;
    }

    /** The application's own roles, which functions may require. A caller with the scope admin passes without them. */
    public Set<String> roles() {
        return roles;
    }

    /** What the caller may start by its name: jobs, functions, workflows, tasks of graphs and crons' jobs. */
    public NamePatterns names() {
        return names;
    }

    /** If present, the caller may use nothing that belongs to another tenant or to the cluster as a whole. */
    public Optional<String> tenant() {
        return tenant;
    }

    /** The network address that the call came from. */
    public Optional<String> address() {
        return address;
    }

    /** This caller, at the address that a request came from. */
    public Caller at(String newAddress) {
        return toBuilder().address(Optional.of(newAddress)).build();
    }

    /**
     * Why a gateway does not accept this caller, if another program has named it; empty if it does. The tenant has to be one that an API key
     * could have, id and name have to be 1 to 300 printable characters, and the caller has to be the application's.
     */
    public Optional<String> problem() {
        if (tenant.isPresent() && !KeyRequest.isTenant(tenant.get())) {
            return Optional.of(
                    "a tenant has 1 to 100 printable characters and neither begins nor ends with a blank; use"
                            + " Optional.empty() for callers that belong to none");
        }
        if (!isPrintable(id) || !isPrintable(name)) {
            return Optional.of("id and name of a caller have 1 to " + LONGEST + " printable characters");
        }
        if (auth != Auth.APPLICATION) {
            return Optional.of("a caller that an application names has Auth.APPLICATION, not Auth." + auth);
        }
        return id.startsWith("key:") || id.startsWith("jwt:")
                ? Optional.of("ids that begin with key: or jwt: are those of API keys and tokens")
                : Optional.empty();
    }

    private static boolean isPrintable(String text) {
        return !text.isBlank() && text.length() <= LONGEST && KeyRequest.isPrintable(text);
    }

    public boolean may(Scope wanted) {
        return scope.includes(wanted);
    }

    /** Whether the caller may start something of this name, as far as names decide it. */
    public boolean mayStart(String wanted) {
        return names.allows(wanted);
    }

    /** Whether the caller has one of these roles, or none is asked for. */
    public boolean hasAny(Set<String> wanted) {
        return wanted.isEmpty() || may(Scope.ADMIN) || wanted.stream().anyMatch(roles::contains);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Caller that
                && id.equals(that.id)
                && name.equals(that.name)
                && auth == that.auth
                && scope == that.scope
                && roles.equals(that.roles)
                && names.equals(that.names)
                && tenant.equals(that.tenant)
                && address.equals(that.address);
    }

    @Override
    public int hashCode() {
        return Objects.hash(id, name, auth, scope, roles, names, tenant, address);
    }

    @Override
    public String toString() {
        return "Caller[id=" + id + ", name=" + name + ", auth=" + auth + ", scope=" + scope + ", roles=" + roles
                + ", names=" + names + ", tenant=" + tenant + ", address=" + address + "]";
    }

    /** Builds a caller. */
    public static final class Builder {
        private final String id;
        private final String name;
        private final Scope scope;
        private Auth auth = Auth.APPLICATION;
        private Set<String> roles = Set.of();
        private NamePatterns names = NamePatterns.ALL;
        private Optional<String> tenant = Optional.empty();
        private Optional<String> address = Optional.empty();

        private Builder(String id, String name, Scope scope) {
            this.id = id;
            this.name = name;
            this.scope = scope;
        }

        /** How the caller has shown who it is. Default: an application says so. */
        public Builder auth(Auth value) {
            auth = value;
            return this;
        }

        /** The application's own roles. Default: none. */
        public Builder roles(Set<String> value) {
            roles = value;
            return this;
        }

        /** What the caller may start by its name. Default: everything that the scope allows. */
        public Builder names(NamePatterns value) {
            names = value;
            return this;
        }

        /** To whose things the caller is confined. Default: to nobody's. */
        public Builder tenant(Optional<String> value) {
            tenant = value;
            return this;
        }

        /** The network address that the call came from. */
        public Builder address(Optional<String> value) {
            address = value;
            return this;
        }

        public Caller build() {
            return new Caller(this);
        }
    }
}
