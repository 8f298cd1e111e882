package dev.weir.operate;

import dev.weir.client.JsonReader;
import dev.weir.client.JsonTree;
import java.io.IOException;

/** Reads JSON objects that a cluster or a gateway sent as a whole. */
final class JsonObjects {
  private JsonObjects() {}

  /**
   * Reads an object.
   *
   * @throws OperationException if the text is no JSON object
   */
  static JsonTree parse(String text) throws OperationException {
    try {
      return JsonReader.readObject(text);
    } catch (IOException e) {
      throw new OperationException(String.valueOf(e.getMessage()), e);
    }
  }
}
