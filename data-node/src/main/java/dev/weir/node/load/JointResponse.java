package dev.weir.node.load;

/** A response with the results of several shard requests. */
public interface JointResponse {
  /**
   * Returns the transport action of those of the requests whose work a load report is about; of any
   * of them if none is work of a pool.
   */
  String workAction();
}
