package dev.weir.model;

/** Determines requests' deadlines. Safe on any thread. */
public interface DeadlineResolver {
  /** No request has a deadline. */
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
   * The deadline that a client asks for; {@link Deadline#NONE} when it does not.
   *
   * @throws IllegalArgumentException when what it asks for can't be read
   */
  Deadline resolveRequested(HttpExchange exchange);

  /** The deadline of a request whose client does not ask for one. */
  Deadline resolveDefault(HttpExchange exchange, boolean write);
}
