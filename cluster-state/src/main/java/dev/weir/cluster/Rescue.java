package dev.weir.cluster;

import dev.weir.protocol.NodeFailure;
import dev.weir.protocol.SeedClient;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import org.opensearch.cluster.metadata.Metadata;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the cluster when none of its known nodes answers, at first too: tries the seeds and every
 * address that its nodes ever had (a bounded number of those at a time). Confined to the watching
 * thread.
 */
final class Rescue {
  private static final Logger LOG = LoggerFactory.getLogger(Rescue.class);
  private static final int ADDRESSES_KEPT = 1_000;
  private static final int KNOWN_TRIED_AT_ONCE = 32;

  private final FollowOptions options;
  private final SeedHunt hunt;
  private final StateReader reader;
  private final Publisher publisher;
  private final NodeFacts facts;
  private final Troubles troubles;
  private final Map<InetSocketAddress, Boolean> everKnown =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<InetSocketAddress, Boolean> eldest) {
          return size() > ADDRESSES_KEPT;
        }
      };

  private final Rebuild rebuild = new Rebuild();
  private final LongAdder rebuilt = new LongAdder();
  private int attempts;

  Rescue(
      FollowOptions options,
      SeedHunt hunt,
      StateReader reader,
      Publisher publisher,
      NodeFacts facts,
      Troubles troubles) {
    this.options = options;
    this.hunt = hunt;
    this.reader = reader;
    this.publisher = publisher;
    this.facts = facts;
    this.troubles = troubles;
  }

  /** The uuid of the cluster that is followed, by configuration or since the first view. */
  String followed() {
    String seen = publisher.view().state().metadata().clusterUUID();
    if (!seen.equals(Metadata.UNKNOWN_CLUSTER_UUID)) {
      return seen;
    }
    String only = options.clusterUuid();
    return only == null ? "" : only;
  }

  /** How often another cluster was found in the place of the one that was followed. */
  long rebuilt() {
    return rebuilt.sum();
  }

  /** The followed cluster is there. */
  void notNeeded() {
    rebuild.alive();
  }

  /**
   * Tries everything once.
   *
   * @param failures of the known nodes, for the error
   * @param gone whether none of them is connected but such as are of another cluster now
   * @return whether the cluster was heard
   */
  boolean attempt(List<String> failures, boolean gone) throws InterruptedException {
    if (!gone) {
      rebuild.alive();
    }
    publisher.view().nodes().values().forEach(node -> everKnown.put(node.transport(), true));
    Seeds.Resolved seeds = options.seeds().resolve();
    Set<InetSocketAddress> addresses = new LinkedHashSet<>(seeds.addresses());
    addresses.addAll(someKnown());
    List<String> errors = new ArrayList<>(failures);
    seeds.unresolved().forEach(seed -> errors.add(seed + ": no address"));
    SeedHunt.Outcome outcome =
        hunt.over(addresses, (address, node) -> visit(address, node, errors));
    if (outcome.found()) {
      if (failures.isEmpty()) {
        troubles.healed();
      } else {
        troubles.failed("only seeds answer, not the nodes at their own addresses: " + errors);
      }
      return true;
    }
    rebuild.silent(outcome.failures().keySet());
    String successor =
        gone && options.clusterUuid() == null
            ? rebuild.successor(publisher.view(), publisher.now())
            : null;
    if (successor != null && follow(successor)) {
      return true;
    }
    outcome.failures().forEach((address, said) -> errors.add(address + ": " + said));
    troubles.failed("no node answers: " + errors);
    return false;
  }

  /** Whether the cluster that took the place of the other one is followed from now on. */
  private boolean follow(String successor) throws InterruptedException {
    Set<InetSocketAddress> strangers = rebuild.addresses();
    SeedHunt.Outcome outcome =
        hunt.over(
            strangers,
            (address, node) -> {
              try {
                return reader.vitalsOf(node).clusterUuid().equals(successor)
                    && take(node, successor, strangers);
              } catch (NodeFailure | IOException | RuntimeException unheard) {
                return false; // perhaps the next one
              }
            });
    return outcome.found();
  }

  private boolean take(SeedClient node, String successor, Set<InetSocketAddress> strangers)
      throws NodeFailure, IOException, InterruptedException {
    StateReader.Read read = reader.whole(node, publisher.nodeSettings());
    if (!Vitals.of(read.state()).clusterUuid().equals(successor)) {
      return false;
    }
    LOG.warn(
        "cluster {} was built anew: got uuid {} at {} of its {} addresses (expected: {}, of which"
            + " nobody answers); the new one is followed, and what was learned of the old one is"
            + " forgotten",
        read.state().getClusterName().value(),
        successor,
        strangers.size(),
        publisher.view().nodes().size(),
        followed());
    publisher.publish(read);
    rebuilt.increment();
    rebuild.alive();
    strangers.forEach(troubles::accept);
    troubles.healed();
    learnFacts(node);
    return true;
  }

  /** Other ones each time, when there are many. */
  private List<InetSocketAddress> someKnown() {
    List<InetSocketAddress> known = new ArrayList<>(everKnown.keySet());
    Collections.rotate(known, attempts++ * KNOWN_TRIED_AT_ONCE);
    return known.subList(0, Math.min(known.size(), KNOWN_TRIED_AT_ONCE));
  }

  private boolean visit(InetSocketAddress address, SeedClient node, List<String> errors)
      throws InterruptedException {
    try {
      Vitals vitals = reader.vitalsOf(node);
      switch (NodeLook.at(vitals, publisher.view(), followed())) {
        case NOT_JOINED -> {
          rebuild.alive();
          errors.add(address + ": has not joined a cluster");
        }
        case FOREIGN -> {
          rebuild.stranger(address, vitals);
          troubles.refuse(address, vitals, followed());
          errors.add(address + ": belongs to another cluster");
        }
        case BEHIND -> {
          rebuild.alive();
          errors.add(address + ": lags behind the newest state that was seen");
        }
        case SAME -> {
          rebuild.alive();
          publisher.confirm();
          return true;
        }
        case NEWER, LEADERLESS -> {
          rebuild.alive();
          StateReader.Read read = reader.whole(node, publisher.nodeSettings());
          if (Vitals.of(read.state()).joined()) {
            publisher.publish(read);
            learnFacts(node);
            return true;
          }
        }
      }
    } catch (NodeFailure | IOException | RuntimeException failure) {
      errors.add(address + ": " + failure.getMessage());
    }
    return false;
  }

  private void learnFacts(SeedClient node) throws InterruptedException {
    try {
      if (facts.learn(node, publisher.silent())) {
        publisher.republish();
      }
    } catch (NodeFailure unheard) {
      // asked again at one of the known nodes
    }
  }
}
