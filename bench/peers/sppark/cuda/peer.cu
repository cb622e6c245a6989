// sppark's MSM in G1 and its seven transforms for h, on data in device memory.

#include <chrono>

#include <ff/bls12-381.hpp>
#include <ec/jacobian_t.hpp>
#include <ec/xyzz_t.hpp>

typedef jacobian_t<fp_t> point_t;
typedef xyzz_t<fp_t> bucket_t;
typedef bucket_t::affine_t affine_t;
typedef fr_t scalar_t;

#include <msm/pippenger.cuh>
#include <ntt/ntt.cuh>

static __device__ uint64_t mixed(uint64_t x) {
    x += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

// Scalars below 2^254 in Montgomery form, from their indices.
__global__ void fill(uint64_t* scalars, size_t n, uint64_t seed) {
    for (size_t i = threadIdx.x + size_t(blockIdx.x) * blockDim.x; i < 4 * n; i += size_t(gridDim.x) * blockDim.x) {
        uint64_t word = mixed(mixed(seed) + i);
        scalars[i] = i % 4 == 3 ? word >> 2 : word;
    }
}

__global__ void multiply(fr_t* a, const fr_t* b, size_t n) {
    for (size_t i = threadIdx.x + size_t(blockIdx.x) * blockDim.x; i < n; i += size_t(gridDim.x) * blockDim.x)
        a[i] *= b[i];
}

__global__ void subtract_and_scale(fr_t* a, const fr_t* c, fr_t factor, size_t n) {
    for (size_t i = threadIdx.x + size_t(blockIdx.x) * blockDim.x; i < n; i += size_t(gridDim.x) * blockDim.x) {
        fr_t difference = a[i] - c[i];
        a[i] = difference * factor;
    }
}

#ifndef __CUDA_ARCH__

// Runs `call` and answers with what stopped it.
template <class Call> static RustError guarded(Call call) {
    try {
        return call();
    } catch (const cuda_error& e) {
#ifdef TAKE_RESPONSIBILITY_FOR_ERROR_MESSAGE
        return RustError{e.code(), e.what()};
#else
        return RustError{e.code()};
#endif
    }
}

// The MSM of n scalars, which come to `scalars`, and of the points of `tile` over and over, on the device both: a power of two of at least
// tile_len. `seconds` has runs elements, wall clock from the call to the point on the host; one run before them is not timed.
extern "C" RustError::by_value peer_msm(point_t* out, const affine_t* tile, size_t tile_len, size_t n, scalar_t* scalars,
                                        double* seconds, size_t runs) {
    return guarded([&]() -> RustError {
        const gpu_t& gpu = select_gpu();
        gpu_ptr_t<affine_t> d_points{(affine_t*)gpu.Dmalloc(n * sizeof(affine_t))};
        gpu_ptr_t<scalar_t> d_scalars{(scalar_t*)gpu.Dmalloc(n * sizeof(scalar_t))};
        gpu[0].HtoD(&d_points[0], tile, tile_len);
        for (size_t done = tile_len; done < n; done *= 2)
            CUDA_OK(cudaMemcpyAsync((void*)&d_points[done], &d_points[0], done * sizeof(affine_t), cudaMemcpyDeviceToDevice,
                                    gpu[0]));
        fill<<<4 * gpu.sm_count(), 256, 0, gpu[0]>>>((uint64_t*)&d_scalars[0], n, 1);
        CUDA_OK(cudaGetLastError());
        gpu[0].DtoH(scalars, &d_scalars[0], n);
        gpu.sync();

        msm_t<bucket_t, point_t, affine_t, scalar_t> msm(nullptr, n);
        for (size_t run = 0; run <= runs; run++) {
            auto start = std::chrono::steady_clock::now();
            RustError error = msm.invoke(*out, d_points, n, d_scalars, true);
            if (error.code != 0)
                return error;
            if (run > 0)
                seconds[run - 1] = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        }
        return RustError{cudaSuccess};
    });
}

// h over 2^log2 points from the values of a, b and c, which come to `values`, a after b after c, where that is not null, and h to `h` then.
// `seconds` has runs elements, times between events; one run before them is not timed.
extern "C" RustError::by_value peer_h(uint32_t log2, fr_t* values, fr_t* h, double* seconds, size_t runs) {
    return guarded([&]() -> RustError {
        const gpu_t& gpu = select_gpu();
        stream_t& stream = gpu[0];
        const size_t m = size_t(1) << log2;
        dev_ptr_t<fr_t> d_values{3 * m, stream};
        fr_t *a = &d_values[0], *b = &d_values[m], *c = &d_values[2 * m];
        const uint32_t blocks = 4 * gpu.sm_count();

        fr_t z = group_gen;
        for (uint32_t i = 0; i < log2; i++)
            z ^= 2;
        const fr_t z_inverse = (z - fr_t::one()).reciprocal();

        auto onto_coset = [&](fr_t* vector) {
            NTT::Base_dev_ptr(stream, vector, log2, NTT::InputOutputOrder::NR, NTT::Direction::inverse, NTT::Type::standard);
            NTT::Base_dev_ptr(stream, vector, log2, NTT::InputOutputOrder::RN, NTT::Direction::forward, NTT::Type::coset);
        };
        cudaEvent_t start, end;
        CUDA_OK(cudaEventCreate(&start));
        CUDA_OK(cudaEventCreate(&end));
        for (size_t run = 0; run <= runs; run++) {
            fill<<<blocks, 256, 0, stream>>>((uint64_t*)a, 3 * m, 2);
            CUDA_OK(cudaGetLastError());
            if (values && run == runs)
                stream.DtoH(values, a, 3 * m);
            CUDA_OK(cudaEventRecord(start, stream));
            onto_coset(a);
            onto_coset(b);
            multiply<<<blocks, 256, 0, stream>>>(a, b, m);
            CUDA_OK(cudaGetLastError());
            onto_coset(c);
            subtract_and_scale<<<blocks, 256, 0, stream>>>(a, c, z_inverse, m);
            CUDA_OK(cudaGetLastError());
            NTT::Base_dev_ptr(stream, a, log2, NTT::InputOutputOrder::NN, NTT::Direction::inverse, NTT::Type::coset);
            CUDA_OK(cudaEventRecord(end, stream));
            stream.sync();
            float milliseconds;
            CUDA_OK(cudaEventElapsedTime(&milliseconds, start, end));
            if (run > 0)
                seconds[run - 1] = milliseconds / 1e3;
        }
        CUDA_OK(cudaEventDestroy(start));
        CUDA_OK(cudaEventDestroy(end));
        if (h) {
            stream.DtoH(h, a, m);
            stream.sync();
        }
        return RustError{cudaSuccess};
    });
}

#endif
