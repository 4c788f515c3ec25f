package dev.muster.opentelemetry;

import io.opentelemetry.api.common.AttributeKey;

/** The attributes of spans: those of OpenTelemetry's conventions for messaging, and Muster's own. */
final class Attributes {
    static final String MUSTER = "muster";

    static final AttributeKey<String> SYSTEM = AttributeKey.stringKey("messaging.system");
    static final AttributeKey<String> OPERATION_NAME = AttributeKey.stringKey("messaging.operation.name");
    static final AttributeKey<String> OPERATION_TYPE = AttributeKey.stringKey("messaging.operation.type");
    static final AttributeKey<String> DESTINATION = AttributeKey.stringKey("messaging.destination.name");
    static final AttributeKey<String> MESSAGE_ID = AttributeKey.stringKey("messaging.message.id");
    static final AttributeKey<String> CLIENT_ID = AttributeKey.stringKey("messaging.client.id");
    static final AttributeKey<Long> BATCH_COUNT = AttributeKey.longKey("messaging.batch.message_count");
    static final AttributeKey<String> ERROR_TYPE = AttributeKey.stringKey("error.type");

    static final AttributeKey<String> QUEUE = AttributeKey.stringKey("muster.queue");
    static final AttributeKey<Long> ATTEMPT = AttributeKey.longKey("muster.attempt");
    static final AttributeKey<String> WORKFLOW = AttributeKey.stringKey("muster.workflow");
    static final AttributeKey<String> RUN = AttributeKey.stringKey("muster.run");
    static final AttributeKey<String> STEP = AttributeKey.stringKey("muster.step");
    static final AttributeKey<String> STEP_PATH = AttributeKey.stringKey("muster.step.path");
    static final AttributeKey<String> CRON = AttributeKey.stringKey("muster.cron");
    static final AttributeKey<String> TICK = AttributeKey.stringKey("muster.tick");

    private Attributes() {}
}
