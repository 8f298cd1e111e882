package dev.weir.http.response;

/** Writes the response to one request. Confined to the request's event loop. */
public interface ResponseWriter {

  /** Starts writing, as far as the client takes it. Called when all earlier responses have left. */
  void start();

  /**
   * Writes more: the client takes more. Called only between {@link #start} and the response's last
   * byte.
   */
  void resume();

  /**
   * Releases what the writer holds. Called once, when nothing more will be written.
   *
   * @param complete whether the response's last byte has left
   */
  void close(boolean complete);
}
