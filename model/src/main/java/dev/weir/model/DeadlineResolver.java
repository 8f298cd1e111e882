package dev.weir.model;

/** Determines requests' deadlines. Safe on any thread. */
public interface DeadlineResolver {
  /** Sets no deadlines. */
  DeadlineResolver NONE =
      new DeadlineResolver() {
        @Override
        public Deadline resolveRequested(HttpExchange exchange) {
          return Deadline.NONE;
        }

        @Override
        public Deadline resolveDefault(HttpExchange exchange, boolean write) {
          return Deadline.NONE;
        }
      };

  /**
   * Returns the deadline that the client requests; {@link Deadline#NONE} if it requests none.
   *
   * @throws IllegalArgumentException if the requested deadline is malformed
   */
  Deadline resolveRequested(HttpExchange exchange);

  /** Returns the deadline of a request whose client requests none. */
  Deadline resolveDefault(HttpExchange exchange, boolean write);
}
