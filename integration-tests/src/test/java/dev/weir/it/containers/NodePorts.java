package dev.weir.it.containers;

import dev.weir.testkit.process.Ports;
import java.util.random.RandomGenerator;

/**
 * Where a node in a container listens on 127.0.0.1.
 *
 * @param http its REST port
 * @param transport its transport port
 */
record NodePorts(int http, int transport) {
  /** Returns ports that are free. */
  static NodePorts findFree(RandomGenerator random) {
    return new NodePorts(Ports.findFree(random), Ports.findFree(random));
  }

  String transportAddress() {
    return "127.0.0.1:" + transport;
  }
}
