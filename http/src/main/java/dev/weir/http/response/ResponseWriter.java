package dev.weir.http.response;

/**
 * The answer to one request, written when its turn has come. Confined to the request's event loop.
 */
public interface ResponseWriter {

  /** Its turn has come: writes what it has, as far as the client takes it. */
  void start();

  /** The client takes more. Called only between {@link #start} and the answer's last byte. */
  void resume();

  /**
   * Nothing more will be written: releases what it holds. Called once.
   *
   * @param complete whether its last byte has left
   */
  void close(boolean complete);
}
