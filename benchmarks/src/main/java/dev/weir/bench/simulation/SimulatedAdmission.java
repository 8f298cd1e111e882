package dev.weir.bench.simulation;

import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Decides when a simulated gateway may send the calls of a search. */
interface SimulatedAdmission {
  /** A decision. */
  interface Admission {
    boolean isRejected();

    /** Returns whether the search may use a node that has no capacity otherwise. */
    boolean isReservedOn(String nodeId);
  }

  /** A decision that reserves nothing. */
  record Unreserved(boolean isRejected) implements Admission {
    @Override
    public boolean isReservedOn(String nodeId) {
      return false;
    }
  }

  /** Returns whether searches wait. */
  boolean requestsWait();

  /** Returns whether this many calls to a node fit. */
  boolean hasCapacity(String nodeId, int calls);

  /**
   * Asks for admission of a search.
   *
   * @param nodesByCall the candidates of each call
   * @param listener hears the decision, at once or later
   */
  void request(List<List<String>> nodesByCall, int costClass, Consumer<Admission> listener);

  /** Gives back what was reserved, after the calls were sent. */
  void release(Admission admission);

  void onSend(SimulatedAttempt attempt);

  /**
   * Records the end of a call.
   *
   * @param status null for a call that was given up
   * @param queue as the node reported; negative for none
   */
  void onEnd(SimulatedAttempt attempt, SimulatedAttempt.@Nullable Status status, int queue);

  /** Records the end of a search that was admitted. */
  default void onSearchEnd(SimulatedShardRequest.SimulatedSearch search, boolean ok) {}
}
