package dev.weir.rest;

import dev.weir.model.ForwardingExchange;
import dev.weir.model.HttpExchange;

/** An exchange with another arrival time. */
final class ArrivalTimeOverride extends ForwardingExchange {
  private final long arrivalNanos;

  ArrivalTimeOverride(HttpExchange exchange, long nanos) {
    super(exchange);
    this.arrivalNanos = nanos;
  }

  @Override
  public long arrivedNanos() {
    return arrivalNanos;
  }
}
