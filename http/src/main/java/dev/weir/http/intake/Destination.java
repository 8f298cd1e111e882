package dev.weir.http.intake;

import dev.weir.http.body.BodyTransformer;
import dev.weir.http.proxy.NodeProxy;
import dev.weir.model.HttpExchange;
import dev.weir.model.RequestHandler;
import dev.weir.model.RequestPolicy;
import dev.weir.model.RequestRouter;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Where requests go: one of the clusters behind the gateway. Called on event loops. */
public interface Destination {
  /** Decides by a request's head which way it goes. */
  RequestRouter router();

  /** Takes those that are coordinated. */
  RequestHandler handler();

  /** Takes those that pass through. */
  NodeProxy proxy();

  /** The cluster's name in the configuration; empty for none. */
  default String clusterName() {
    return "";
  }

  /** The policy that the requests go by. */
  default RequestPolicy policy() {
    return RequestPolicy.NONE;
  }

  /**
   * Path and query as this destination knows them.
   *
   * @param uri as the client sent them
   */
  default String translateUri(String uri) {
    return uri;
  }

  /** Whether some bodies have to be changed on their way here. */
  default boolean transformsBodies() {
    return false;
  }

  /**
   * How a body has to be changed on its way here. Asked once for every way that a body goes, where
   * some have to.
   *
   * @param uri path and query as the client sent them
   * @param contentType as the client sent it
   * @return null for not at all
   */
  default @Nullable BodyTransformer bodyTransformer(String uri, @Nullable String contentType) {
    return null;
  }

  /**
   * A request that was sent here is over.
   *
   * @param status of its answer; 499 when its client went away first, 0 when there was none
   */
  default void onRequestEnd(int status) {}

  /**
   * Where a request goes that was not answered here, or not wholly, because nodes are gone.
   *
   * @param uri path and query as the client sent them
   * @return null for nowhere: there is no other place, or it is not for another one
   */
  default @Nullable Destination failoverDestination(String method, String uri) {
    return null;
  }

  /**
   * Whether {@link #failoverDestination} would name a place now that takes bodies as they are;
   * nobody is told that it was asked.
   *
   * @param uri path and query as the client sent them
   */
  default boolean hasFailoverDestination(String method, String uri) {
    return false;
  }

  /** What its nodes say of their version; null when all destinations say the same. */
  default @Nullable Supplier<String> serverVersion() {
    return null;
  }

  /**
   * Where a request goes that was sent here by its head, now that its body has come.
   *
   * @return null, as a rule: it stays
   */
  default @Nullable Destination resolveByBody(HttpExchange whole) {
    return null;
  }
}
