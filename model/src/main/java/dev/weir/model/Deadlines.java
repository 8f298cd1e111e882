package dev.weir.model;

/** Says until when a request's answer is waited for. Safe on any thread. */
public interface Deadlines {
  /** No request has a deadline. */
  Deadlines NONE =
      new Deadlines() {
        @Override
        public Deadline asked(HttpExchange exchange) {
          return Deadline.NONE;
        }

        @Override
        public Deadline standard(HttpExchange exchange, boolean write) {
          return Deadline.NONE;
        }
      };

  /**
   * The deadline that a client asks for; {@link Deadline#NONE} when it does not.
   *
   * @throws IllegalArgumentException when what it asks for can't be read
   */
  Deadline asked(HttpExchange exchange);

  /** The deadline of a request whose client does not ask for one. */
  Deadline standard(HttpExchange exchange, boolean write);
}
