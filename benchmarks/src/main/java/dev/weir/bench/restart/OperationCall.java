package dev.weir.bench.restart;

import dev.weir.bench.MeasuredGateway;
import dev.weir.client.JsonReader;
import dev.weir.client.JsonTree;
import dev.weir.testkit.RestClient;
import java.io.IOException;
import java.net.URI;

/** Has a gateway carry out operations on the nodes behind it, by its admin port. */
final class OperationCall implements AutoCloseable {
  private static final long PAUSE_MILLIS = 500;

  private final RestClient admin;

  OperationCall(MeasuredGateway gateway) {
    admin = new RestClient(URI.create("http://127.0.0.1:" + gateway.adminAddress().getPort()));
  }

  /** Returns the section of a gateway's configuration with the command for nodes. */
  static String section(NodeCommandScript script) {
    return "operations: {restart-command: \"%1$s\", window-command: \"%1$s\"}"
        .formatted(script.command());
  }

  /**
   * Carries out an operation to its end.
   *
   * @param operation its name, with parameters
   * @throws IOException with its progress if it does not succeed
   */
  void run(String operation) throws IOException, InterruptedException {
    admin.send("POST", "/operations/" + operation).orThrow();
    JsonTree shown;
    do {
      Thread.sleep(PAUSE_MILLIS);
      shown = JsonReader.readObject(admin.send("GET", "/operations").orThrow().body());
    } while (shown.isTrue("runs_here"));
    if (!shown.child("operation", "step").isMissing()) {
      throw new IOException(operation + " did not end: " + shown.items("progress"));
    }
  }

  @Override
  public void close() {
    admin.close();
  }
}
