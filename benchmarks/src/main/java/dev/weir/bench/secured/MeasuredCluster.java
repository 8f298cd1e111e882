package dev.weir.bench.secured;

import dev.weir.bench.MeasuredGateway;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.RestAccess;
import java.net.InetSocketAddress;

/**
 * A cluster whose last node only coordinates, and the gateway in front of it.
 *
 * @param name what the tables call it
 * @param reader who searches
 * @param writer who sends bulks
 */
record MeasuredCluster(
    String name,
    DataNodeCluster nodes,
    MeasuredGateway gateway,
    RestAccess reader,
    RestAccess writer) {

  AuthenticatedLoad.Server node(RestAccess access) {
    DataNode node = nodes.nodes().getLast();
    return new AuthenticatedLoad.Server(
        "node, " + name, new InetSocketAddress("127.0.0.1", node.httpPort()), node.pid(), access);
  }

  AuthenticatedLoad.Server weir(RestAccess access) {
    return new AuthenticatedLoad.Server("weir, " + name, gateway.address(), gateway.pid(), access);
  }
}
