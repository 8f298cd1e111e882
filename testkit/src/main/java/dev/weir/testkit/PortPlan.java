package dev.weir.testkit;

import dev.weir.testkit.process.Ports;
import java.util.random.RandomGenerator;

/**
 * Where the nodes of a cluster listen: the first node's ports, from which the others count up; 0
 * for any free ones.
 *
 * @param http the first node's REST port
 * @param transport the first node's transport port
 */
public record PortPlan(int http, int transport) {
  /** Any free ports. */
  public static final PortPlan ANY_FREE = new PortPlan(0, 0);

  private static final int HIGHEST = 65_535;

  /** Checks the range. */
  public PortPlan {
    check(http);
    check(transport);
  }

  private static void check(int port) {
    if (port < 0 || port > HIGHEST) {
      throw new IllegalArgumentException("got port " + port + " (expected: 0 to " + HIGHEST + ")");
    }
  }

  /** The ports of a node that is about to start; given ones are checked for being free. */
  Assigned assign(int index, String nodeName, RandomGenerator random) {
    return new Assigned(
        port(http, index, "the REST endpoint of " + nodeName, "--http-port", random),
        port(
            transport, index, "the transport endpoint of " + nodeName, "--transport-port", random));
  }

  private static int port(int first, int index, String use, String option, RandomGenerator random) {
    if (first == 0) {
      return Ports.findFree(random);
    }
    Ports.requireFree(first + index, use, "choose others with " + option);
    return first + index;
  }

  /**
   * One node's ports.
   *
   * @param http its REST port
   * @param transport its transport port
   */
  record Assigned(int http, int transport) {}
}
