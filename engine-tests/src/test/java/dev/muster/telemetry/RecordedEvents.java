package dev.muster.telemetry;

import dev.muster.job.ExpiredJob;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Keeps the events of one node. Each of its methods throws after that, which must make no difference. */
final class RecordedEvents implements Telemetry {
    final String node;
    final Queue<NewClaim> claimed = new ConcurrentLinkedQueue<>();
    final Map<Long, Thread> running = new ConcurrentHashMap<>();
    final Queue<Claim> started = new ConcurrentLinkedQueue<>();
    final Queue<End> ended = new ConcurrentLinkedQueue<>();
    final Queue<String> unpaired = new ConcurrentLinkedQueue<>();
    final Queue<Outcome> accepted = new ConcurrentLinkedQueue<>();
    final Queue<Loss> lost = new ConcurrentLinkedQueue<>();
    final Queue<Recovery> recovered = new ConcurrentLinkedQueue<>();
    final Queue<ExpiredJob> expired = new ConcurrentLinkedQueue<>();
    final Queue<Leadership> leading = new ConcurrentLinkedQueue<>();
    final Queue<Membership> joined = new ConcurrentLinkedQueue<>();
    final Queue<Membership> left = new ConcurrentLinkedQueue<>();
    final Queue<Peer> peers = new ConcurrentLinkedQueue<>();
    final Queue<Exchange> exchanges = new ConcurrentLinkedQueue<>();
    final Queue<Probe> probes = new ConcurrentLinkedQueue<>();

    RecordedEvents(String node) {
        this.node = node;
    }

    private static void fail() {
        throw new IllegalStateException("a listener that always fails");
    }

    @Override
    public void exchanged(Exchange event) {
        exchanges.add(event);
        fail();
    }

    @Override
    public void probed(Probe event) {
        probes.add(event);
        fail();
    }

    @Override
    public void claimed(Claims event) {
        claimed.addAll(event.claims());
        fail();
    }

    @Override
    public void started(Start event) {
        if (running.put(event.claim().token(), Thread.currentThread()) != null) {
            unpaired.add("started twice: " + event);
        }
        started.add(event.claim());
        fail();
    }

    @Override
    public void ended(End event) {
        if (running.remove(event.claim().token()) != Thread.currentThread()) {
            unpaired.add("ended, but not started on this thread: " + event);
        }
        ended.add(event);
        fail();
    }

    @Override
    public void accepted(Outcome event) {
        accepted.add(event);
        fail();
    }

    @Override
    public void lost(Loss event) {
        lost.add(event);
        fail();
    }

    @Override
    public void recovered(Recovery event) {
        recovered.add(event);
        fail();
    }

    @Override
    public void expired(ExpiredJob event) {
        expired.add(event);
        fail();
    }

    @Override
    public void leading(Leadership event) {
        leading.add(event);
        fail();
    }

    @Override
    public void joined(Membership event) {
        joined.add(event);
        fail();
    }

    @Override
    public void left(Membership event) {
        left.add(event);
        fail();
    }

    @Override
    public void peerChanged(Peer event) {
        peers.add(event);
        fail();
    }

    List<Long> acceptedTokens() {
        return accepted.stream().map(event -> event.claim().token()).toList();
    }

    List<Long> lostTokens() {
        return lost.stream().map(event -> event.claim().token()).toList();
    }
}
