package dev.muster.chaos;

import dev.muster.MusterApp;

/** An application that knows on which node it runs. */
interface ChaosApp extends MusterApp {

    /** Called before it is registered. */
    void on(String node, String databaseUrl);
}
