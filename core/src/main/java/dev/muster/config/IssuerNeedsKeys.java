package dev.muster.config;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** An issuer whose keys are not known could have no token accepted. */
record IssuerNeedsKeys() implements SettingCheck {

    @Override
    public List<ConfigProblem> problems(Values values, Predicate<Setting<?>> readable) {
        boolean known = !readable.test(JwtConfig.ISSUER)
                || !readable.test(JwtConfig.JWKS_URL)
                || !readable.test(JwtConfig.KEYS_FILE)
                || values.get(JwtConfig.ISSUER).isEmpty()
                || values.get(JwtConfig.JWKS_URL).isPresent()
                || values.get(JwtConfig.KEYS_FILE).isPresent();
        if (known) {
            return List.of();
        }
        String message = Relation.describe(JwtConfig.ISSUER, values)
                + " needs the issuer's keys: give jwt.jwks_url or jwt.keys_file, too";
        return List.of(
                new ConfigProblem(Optional.of(JwtConfig.ISSUER.key()), values.source(JwtConfig.ISSUER), message));
    }

    @Override
    public String sentence() {
        return "jwt.issuer must be left out, unless jwt.jwks_url or jwt.keys_file is given";
    }
}
