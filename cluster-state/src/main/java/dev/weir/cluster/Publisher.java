package dev.weir.cluster;

import dev.weir.cluster.StateReader.Read;
import java.util.Set;
import java.util.function.LongSupplier;
import org.opensearch.cluster.ClusterState;
import org.opensearch.common.settings.Settings;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes views of what was read. Confined to the watching thread. */
final class Publisher {
  private static final Logger LOG = LoggerFactory.getLogger(Publisher.class);

  private Self self;
  private final NodeAccess access;
  private final NodeFacts facts;
  private final Views views;
  private final LongSupplier nanoTime;
  private volatile Set<String> unknownParts = Set.of();

  Publisher(Self self, NodeAccess access, NodeFacts facts, Views views, LongSupplier nanoTime) {
    this.self = self;
    this.access = access;
    this.facts = facts;
    this.views = views;
    this.nanoTime = nanoTime;
  }

  /** The time, as views have it. */
  long now() {
    return nanoTime.getAsLong();
  }

  /** The newest view. */
  ClusterView view() {
    return views.newest();
  }

  /** Parts of the newest view's state that were left out. */
  Set<String> unknownParts() {
    return unknownParts;
  }

  /** The settings that the nodes' own files agree on. */
  Settings nodeSettings() {
    return facts.agreed();
  }

  /** Makes a state that was read the newest view. */
  void publish(Read read) {
    ClusterView before = views.newest();
    ClusterState state = self.in(read.state());
    facts.retain(state.nodes());
    boolean lenient = !read.unknown().isEmpty();
    noteUnknown(read.unknown());
    ClusterView view =
        before.next(
            state,
            facts.endpoints(state.nodes(), self.node()),
            nanoTime.getAsLong(),
            lenient,
            settings(state, before));
    access.update(view.nodes().values());
    views.replace(view, true);
  }

  /** Notes that a node still has the newest view's state. */
  void confirm() {
    views.replace(views.newest().confirmed(nanoTime.getAsLong()), false);
  }

  /** Nodes that have not said their REST address and settings yet. */
  Set<String> silent() {
    return facts.missing(views.newest().state().nodes(), self.node());
  }

  /** Shows the gateway as another node from now on. */
  void become(Self other) {
    self = other;
    ClusterView before = views.newest();
    if (before.state().nodes().getLocalNode() == null) {
      return; // nothing was read yet
    }
    ClusterState state = other.insteadIn(before.state());
    views.replace(
        before.next(
            state, before.nodes(), before.readAtNanos(), before.lenient(), before.settings()),
        true);
  }

  /** Adds what the nodes said of themselves since. */
  void republish() {
    ClusterView before = views.newest();
    ClusterView view =
        before.with(
            facts.endpoints(before.state().nodes(), self.node()), settings(before.state(), before));
    access.update(view.nodes().values());
    views.replace(view, true);
  }

  private void noteUnknown(Set<String> unknown) {
    if (unknown.equals(unknownParts)) {
      return;
    }
    unknownParts = Set.copyOf(unknown);
    if (unknown.isEmpty()) {
      LOG.info("cluster state read whole again");
    } else {
      LOG.warn(
          "cluster state has parts that this gateway does not know: got {} (expected: none); what"
              + " they say is left to the nodes",
          unknown);
    }
  }

  private ViewSettings settings(ClusterState state, ClusterView before) {
    Settings effective =
        Settings.builder().put(facts.agreed()).put(state.metadata().settings()).build();
    return effective.equals(before.settings().effective())
        ? before.settings()
        : ViewSettings.of(effective);
  }
}
