package dev.muster.spring.boot;

/** Applications that need no JPA start in half the time without it. */
final class WithoutJpa {
    /** The names of both Spring Boots. */
    private static final String EXCLUDED =
            "org.springframework.boot.autoconfigure.orm.jpa.HibernateJpaAutoConfiguration,"
                    + "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration";

    static final String[] PROPERTIES = {
        "spring.autoconfigure.exclude=" + EXCLUDED, "spring.data.jpa.repositories.enabled=false"
    };

    private WithoutJpa() {}

    /** As arguments of an application, before others. */
    static String[] arguments(String... more) {
        String[] all = new String[PROPERTIES.length + more.length];
        for (int i = 0; i < PROPERTIES.length; i++) {
            all[i] = "--" + PROPERTIES[i];
        }
        System.arraycopy(more, 0, all, PROPERTIES.length, more.length);
        return all;
    }
}
