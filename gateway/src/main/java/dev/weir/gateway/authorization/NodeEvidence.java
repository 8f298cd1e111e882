package dev.weir.gateway.authorization;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is known about one start of a node.
 *
 * @param name the node's name
 * @param probe what its REST port answered; null before the first probe
 * @param plugins the names of its plugins; null while unknown
 */
record NodeEvidence(String name, @Nullable ProbeResult probe, @Nullable Set<String> plugins) {
  /** Returns whether the node is known to ask for nothing. */
  boolean isOpen() {
    return probe instanceof ProbeResult.Open && plugins != null;
  }
}
