package dev.muster.gateway.internal.forward;

import dev.muster.gateway.internal.route.Answer;

/** How an attempt to have a node run a call has ended. */
sealed interface Attempt {

    /** The node has answered. */
    record Answered(Answer answer) implements Attempt {}

    /**
     * The body was not sent, so nothing has run.
     *
     * @param why follows the name of the node in a sentence
     * @param refused whether the node is there and did not accept the ticket
     */
    record NotTaken(String why, boolean refused) implements Attempt {}

    /**
     * The body was sent, and no answer arrived that can be believed.
     *
     * @param why follows the name of the node in a sentence
     * @param answerBegan whether a part of the answer arrived
     * @param timedOut whether the node did not answer in time; otherwise the connection broke
     */
    record Lost(String why, boolean answerBegan, boolean timedOut) implements Attempt {}
}
