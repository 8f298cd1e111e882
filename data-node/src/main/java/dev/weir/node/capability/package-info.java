/** Answers which features of the plugin this node has, so that gateways use no others. */
@NullMarked
package dev.weir.node.capability;

import org.jspecify.annotations.NullMarked;
