package dev.weir.bench.responses;

import dev.weir.bench.EndpointMeasurement;
import dev.weir.bench.MeasuredEndpoint;
import dev.weir.bench.Workload;
import java.io.IOException;
import java.util.List;

/**
 * One form of the same response from one endpoint, and what it cost so far. Confined to one thread.
 */
final class TrimmedPath {
  private final String name;
  private final MeasuredEndpoint endpoint;
  private final Workload workload;
  private final EndpointMeasurement servers = new EndpointMeasurement();
  private ReadingClient.Cost client = ReadingClient.Cost.NONE;

  TrimmedPath(String name, MeasuredEndpoint endpoint, Workload workload) {
    this.name = name;
    this.endpoint = endpoint;
    this.workload = workload;
  }

  String name() {
    return name;
  }

  MeasuredEndpoint endpoint() {
    return endpoint;
  }

  Workload workload() {
    return workload;
  }

  /** Returns what it cost the endpoint and the nodes. */
  EndpointMeasurement servers() {
    return servers;
  }

  /** Returns what it cost the client. */
  ReadingClient.Cost client() {
    return client;
  }

  /** Runs one round of load and adds its figures. Blocks. */
  void runRound(List<Long> dataNodes, int clients, double seconds) {
    servers.runRound(endpoint, workload, dataNodes, clients, seconds);
  }

  /** Reads responses as a client and adds what that cost. Blocks. */
  void read(int responses, int hits) throws IOException {
    client = client.plus(ReadingClient.read(endpoint.address(), workload, responses, hits));
  }

  /** Runs a round that measures only heap allocation. Blocks. */
  void measureAllocations(int clients, double seconds) {
    servers.measureAllocations(endpoint, workload, clients, seconds);
  }
}
