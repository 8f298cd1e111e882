package dev.weir.http.intake;

import dev.weir.http.proxy.ProxyFailure;
import dev.weir.model.Deadline;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** What the limits of coordinated requests say about one that a node carries out instead. */
public sealed interface Delegation {
  /** A request without limits. */
  Delegation UNLIMITED =
      new Started(
          Deadline.NONE, () -> ProxyFailure.uncertain(408, "timeout_exception", ""), _ -> {});

  /**
   * The request is rejected before anything is sent.
   *
   * @param requestId the gateway's id of the request; 0 for none
   */
  record Rejected(ProxyFailure failure, long requestId) implements Delegation {}

  /**
   * The request goes to a node.
   *
   * @param expiry creates what the client gets when the deadline passes before the node's response
   * @param onEnd called once when the request has ended, with whether its deadline had passed
   */
  record Started(Deadline deadline, Supplier<ProxyFailure> expiry, Consumer<Boolean> onEnd)
      implements Delegation {}
}
