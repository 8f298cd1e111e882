package dev.weir.gateway.app;

import dev.weir.gateway.app.rehearsal.Rehearsal;
import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * The gateway that a rehearsal is played to: an ordinary one.
 *
 * @param gateway it
 */
public record RehearsedGateway(Gateway gateway) implements Rehearsal.Stage {

  @Override
  public InetSocketAddress restAddress() {
    return gateway.restAddress();
  }

  @Override
  public InetSocketAddress adminAddress() {
    return gateway.adminAddress();
  }

  @Override
  public boolean awaitReady(Duration atMost) throws InterruptedException {
    return gateway.awaitReady(atMost);
  }

  @Override
  public void close() {
    gateway.close();
  }
}
