package dev.weir.gateway.history;

import java.util.List;
import java.util.Map;
import java.util.Set;

/** What the history asks the gateway for, once a step or for a page; never on an event loop. */
public interface HistoryProbe {
  /** The requests of clients in flight. */
  int inFlight();

  /** The requests that wait in the gateway for nodes. */
  int waiting();

  /** The mean CPU use of the nodes that report it, 0 to 1, by cluster; none for the others. */
  Map<String, Double> nodeCpu();

  /** Why the gateway should get no requests; empty while it should. */
  List<String> notReadyReasons();

  /**
   * What operators let nodes have, in words by node name; nodes with their usual share are absent.
   */
  Map<String, String> reducedNodes();

  /** The numbers of the requests that can be explained. */
  Set<Long> explainedRequests();
}
