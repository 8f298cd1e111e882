package dev.weir.model;

/**
 * An output for responses that accepts parts of a body without reading them. Used by the thread
 * that writes the response.
 */
public interface SpliceableOutput {
  /** Appends a part, which is read when the client takes it. */
  void splice(ResponseBody part);
}
