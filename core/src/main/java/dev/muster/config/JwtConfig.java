package dev.muster.config;

import java.util.List;
import java.util.Optional;

/**
 * The {@code [jwt]} section: which tokens the gateway accepts beside API keys. Without an issuer it accepts none.
 *
 * @param issuer the exact {@code iss} of accepted tokens. Default: none
 * @param audience the {@code aud} that accepted tokens must have. Default: muster
 * @param jwksUrl where the issuer publishes its keys, an https URL, or http of a loopback address. Default: none
 * @param keysFile a file with the issuer's public keys, as a JWK set or in PEM; read again when it changes. Default: none
 * @param algorithms the algorithms that are accepted; only asymmetric ones. Default: RS256, ES256, EdDSA
 * @param scopeClaim the claim with the scopes read, write or admin. Default: scope
 * @param rolesClaim the claim with the application's roles. Default: roles
 * @param tenantClaim the claim with the tenant. Default: tenant
 * @param namesClaim the claim with patterns of the names that may be started. Default: names
 */
public record JwtConfig(
        Optional<String> issuer,
        String audience,
        Optional<String> jwksUrl,
        Optional<String> keysFile,
        List<Algorithm> algorithms,
        String scopeClaim,
        String rolesClaim,
        String tenantClaim,
        String namesClaim) {

    static final Section SECTION = new Section("jwt");

    static final Setting<Optional<String>> ISSUER = SECTION.optional(
            "issuer", ValueType.text(), "the exact iss of tokens that the gateway accepts; no tokens when left out");
    static final Setting<String> AUDIENCE =
            SECTION.setting("audience", ValueType.text(), "muster", "the aud that tokens must have");
    static final Setting<Optional<String>> JWKS_URL =
            SECTION.optional("jwks_url", new KeysUrlType(), "where the issuer publishes its keys, as a JWK set");
    static final Setting<Optional<String>> KEYS_FILE = SECTION.optional(
            "keys_file",
            ValueType.text(),
            "file with the issuer's public keys, as a JWK set or in PEM, read again when it changes");
    static final Setting<List<Algorithm>> ALGORITHMS = SECTION.setting(
            "algorithms",
            ValueType.choices(Algorithm.class, "for the usual ones"),
            "rs256,es256,eddsa",
            "the signature algorithms that are accepted");
    static final Setting<String> SCOPE_CLAIM = SECTION.setting(
            "scope_claim",
            ValueType.text(),
            "scope",
            "claim with the scopes read, write or admin, as a text or a list");
    static final Setting<String> ROLES_CLAIM = SECTION.setting(
            "roles_claim", ValueType.text(), "roles", "claim with the application's roles, as a text or a list");
    static final Setting<String> TENANT_CLAIM =
            SECTION.setting("tenant_claim", ValueType.text(), "tenant", "claim with the tenant");
    static final Setting<String> NAMES_CLAIM = SECTION.setting(
            "names_claim",
            ValueType.text(),
            "names",
            "claim with patterns of the names that may be started, as a text or a list");

    public JwtConfig {
        algorithms = List.copyOf(algorithms);
    }

    /** Signature algorithms with public keys. */
    public enum Algorithm {
        RS256,
        RS384,
        RS512,
        PS256,
        PS384,
        PS512,
        ES256,
        ES384,
        ES512,
        EDDSA
    }

    static JwtConfig from(Values values) {
        return new JwtConfig(
                values.get(ISSUER),
                values.get(AUDIENCE),
                values.get(JWKS_URL),
                values.get(KEYS_FILE),
                values.get(ALGORITHMS),
                values.get(SCOPE_CLAIM),
                values.get(ROLES_CLAIM),
                values.get(TENANT_CLAIM),
                values.get(NAMES_CLAIM));
    }
}
