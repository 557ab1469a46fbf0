/* image.c -- linked into every image of class `default`: what a kernel learns when it asks where it runs. */
int ompls_image_device_number; /* set by the device module that loaded the image */

int __wrap_omp_is_initial_device(void);
int __wrap_omp_get_device_num(void);

int __wrap_omp_is_initial_device(void) {
    return 0;
}

int __wrap_omp_get_device_num(void) {
    return ompls_image_device_number;
}
