package dev.weir.advice.snapshot;

import java.io.IOException;
import java.io.InputStream;

/** A REST API that answers GET requests with JSON. Safe on any thread; blocks. */
@FunctionalInterface
public interface ApiReader {
  /**
   * Opens the response to a request. The caller closes it.
   *
   * @param path with the query, such as {@code /_cat/shards?format=json}
   * @throws IOException if there is no answer, or none with status 200; the message says why
   */
  InputStream get(String path) throws IOException, InterruptedException;
}
