package dev.weir.bench.bulk;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * What the answer to a bulk says of each document.
 *
 * @param ids by document; empty where it was not written
 * @param written documents
 * @param rejected documents for which there was no room: status 429, of the item or of the bulk
 * @param complaint the beginning of the first failure that is no rejection; may be empty
 */
record BulkReply(List<String> ids, int written, int rejected, String complaint) {
  private static final int TOO_MANY_REQUESTS = 429;
  private static final int SUCCESSES_BELOW = 300;
  private static final int SHOWN = 300;
  private static final String ID = "\"_id\":";
  private static final String STATUS = "\"status\":";

  /** Documents that are neither written nor rejected. */
  int failed() {
    return ids.size() - written - rejected;
  }

  /** Reads an answer. */
  static BulkReply of(int status, String body, int documents) {
    if (status == TOO_MANY_REQUESTS) {
      return new BulkReply(Collections.nCopies(documents, ""), 0, documents, "");
    }
    return status < SUCCESSES_BELOW
        ? items(body, documents)
        : none(documents, status + " " + beginning(body, 0));
  }

  /** When nothing was answered of any document. */
  static BulkReply none(int documents, String complaint) {
    return new BulkReply(Collections.nCopies(documents, ""), 0, 0, complaint);
  }

  private static BulkReply items(String body, int documents) {
    List<String> ids = new ArrayList<>(documents);
    int written = 0;
    int rejected = 0;
    String complaint = "";
    int at = 0;
    for (int i = 0; i < documents; i++) {
      int idAt = body.indexOf(ID, at);
      int statusAt = body.indexOf(STATUS, idAt);
      if (idAt < 0 || statusAt < 0) {
        throw new IllegalStateException(
            "got an answer of " + i + " items (expected: " + documents + "): " + body);
      }
      at = statusAt + STATUS.length();
      int status = Integer.parseInt(body, at, at + 3, 10);
      String id = "";
      if (status < SUCCESSES_BELOW) {
        int begin = idAt + ID.length() + 1;
        id = body.substring(begin, body.indexOf('"', begin));
        written++;
      } else if (status == TOO_MANY_REQUESTS) {
        rejected++;
      } else if (complaint.isEmpty()) {
        complaint = beginning(body, idAt);
      }
      ids.add(id);
    }
    return new BulkReply(ids, written, rejected, complaint);
  }

  private static String beginning(String body, int from) {
    return body.substring(from, Math.min(body.length(), from + SHOWN));
  }
}
