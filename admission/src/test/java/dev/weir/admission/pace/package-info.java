@NullMarked
package dev.weir.admission.pace;

import org.jspecify.annotations.NullMarked;
